<?php

declare(strict_types=1);

namespace Atumpan;

/** Webhooks: whether what came is from the service, as https://www.standardwebhooks.com says. */
final class Webhooks
{
    private const PREFIX = 'whsec_';

    /**
     * The event in a request. `$rawBody` is its body as it came (`file_get_contents('php://input')`), `$headers` those of
     * `getallheaders()`, or `$_SERVER`. `$secret` is the `webhookSecret`, or several, of which one is enough.
     *
     * @param array<string, mixed> $headers
     * @param string|list<string> $secret
     * @return array<string, mixed>
     * @throws WebhookVerificationError
     */
    public static function verify(
        string $rawBody,
        array $headers,
        #[\SensitiveParameter]
        string|array $secret,
        int $toleranceSeconds = 300,
    ): array {
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

    /** @param array<string, mixed> $headers */
    private static function header(array $headers, string $name): string
    {
        $inServer = 'HTTP_' . strtoupper(strtr($name, '-', '_'));
        foreach ($headers as $key => $value) {
            if (strtolower((string) $key) === $name || $key === $inServer) {
                $found = is_array($value) ? ($value[0] ?? '') : $value;
                if (is_string($found) && $found !== '') {
                    return $found;
                }
            }
        }
        throw new WebhookVerificationError("there is no $name");
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
