<?php

declare(strict_types=1);

namespace Atumpan;

/** Webhooks: whether what came is from the service, as https://www.standardwebhooks.com says. */
final class Webhooks
{
    private const PREFIX = 'whsec_';

    /**
     * The event in a request. `$rawBody` is its body as it came (`file_get_contents('php://input')`), `$headers` those of
     * `getallheaders()`, of PSR-7's `getHeaders()`, or `$_SERVER`. `$secret` is the `webhookSecret`, or several, of which
     * one is enough. Throws `InvalidArgumentException` for a body that is already parsed.
     *
     * @param array<array-key, mixed> $headers
     * @param string|list<string> $secret
     * @return array<string, mixed>
     * @throws WebhookVerificationError
     */
    public static function verify(
        mixed $rawBody,
        array $headers,
        #[\SensitiveParameter]
        string|array $secret,
        int $toleranceSeconds = 300,
    ): array {
        if (!is_string($rawBody) && !$rawBody instanceof \Stringable) {
            throw new \InvalidArgumentException(
                'rawBody must be the body as it came, a string, because the signature is over its bytes; it is no parsed'
                . " JSON. Use file_get_contents('php://input'), or (string) \$request->getBody() of PSR-7.",
            );
        }
        $rawBody = (string) $rawBody;
        $id = self::header($headers, 'webhook-id');
        $timestamp = self::header($headers, 'webhook-timestamp');
        $signatures = explode(' ', self::header($headers, 'webhook-signature'));
        $seconds = preg_match('/^[0-9]{1,15}$/D', $timestamp) ? (int) $timestamp : 0;
        if (abs(time() - $seconds) > $toleranceSeconds) {
            throw new WebhookVerificationError('the timestamp is too old, or too new');
        }
        foreach ((array) $secret as $one) {
            $digest = base64_encode(hash_hmac('sha256', "$id.$timestamp.$rawBody", self::key($one), true));
            foreach ($signatures as $signature) {
                if (hash_equals("v1,$digest", $signature)) {
                    return json_decode($rawBody, true, 512, JSON_THROW_ON_ERROR);
                }
            }
        }
        throw new WebhookVerificationError('no signature is by this secret');
    }

    /** @param array<array-key, mixed> $headers */
    private static function header(array $headers, string $name): string
    {
        $inServer = 'HTTP_' . strtoupper(strtr($name, '-', '_'));
        $values = [];
        foreach ($headers as $key => $value) {
            // A list of lines, such as `webhook-id: evt_1`.
            if (is_int($key) && is_string($value) && str_contains($value, ':')) {
                [$key, $value] = array_map('trim', explode(':', $value, 2));
            }
            if (strtolower((string) $key) === $name || $key === $inServer) {
                array_push($values, ...array_filter((array) $value, static fn (mixed $one): bool => is_string($one)));
            }
        }
        $values = array_values(array_unique(array_filter($values, static fn (string $one): bool => $one !== '')));
        if ($values === []) {
            throw new WebhookVerificationError("there is no $name");
        }
        // Several signatures may stand in one header or in several.
        if (count($values) > 1 && $name !== 'webhook-signature') {
            throw new WebhookVerificationError("there is more than one $name");
        }
        return implode(' ', $values);
    }

    private static function key(
        #[\SensitiveParameter]
        string $secret,
    ): string {
        $key = base64_decode(str_starts_with($secret, self::PREFIX) ? substr($secret, 6) : $secret, true);
        if ($key === false || $key === '') {
            throw new \InvalidArgumentException('the secret is not one of a webhook');
        }
        return $key;
    }
}
