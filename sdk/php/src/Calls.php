<?php

declare(strict_types=1);

namespace Atumpan;

/**
 * Calls: their paths, bodies and credentials, their tries, and what may be tried again. Keys and bodies stay out of stack
 * traces.
 */
final class Calls
{
    private const BACKOFF_SECONDS = 0.25;
    private const BACKOFF_SECONDS_AT_MOST = 8.0;
    // Who is told to wait longer had better do something else meanwhile.
    private const RETRY_AFTER_SECONDS_AT_MOST = 60;
    // HTTP clients take these out of a path, which then leads to another operation.
    private const NO_SEGMENTS = ['', '.', '..'];
    private const REPEATED = ['too-many-requests', 'idempotency-in-progress', 'service-unavailable', 'server-error'];

    /** It keeps its connection from one call to the next. */
    private readonly \CurlHandle $curl;

    public function __construct(private readonly Settings $client)
    {
        $this->curl = curl_init();
    }

    /**
     * Calls an operation, again if that is safe.
     *
     * @param array<string, mixed> $facts
     * @param array<string, mixed> $body
     * @return array<string, mixed> the answer
     * @throws AtumpanError|TransportError
     */
    public function call(
        array $facts,
        #[\SensitiveParameter]
        array $body,
    ): array {
        [$path, $rest] = self::addressed($facts['path'], $body);
        $headers = ['Content-Type: application/json', 'Expect:'];
        if ($facts['effect'] === 'once') {
            $headers[] = 'Idempotency-Key: ' . self::key($rest['idempotencyKey'] ?? null);
            unset($rest['idempotencyKey']);
        }
        $sent = [...$this->credentials($facts, $rest), ...$rest];
        $json = json_encode((object) $sent, JSON_THROW_ON_ERROR | JSON_UNESCAPED_UNICODE | JSON_PRESERVE_ZERO_FRACTION);
        for ($retries = 0;; $retries++) {
            try {
                $answer = $this->attempt($path, $headers, $json);
                $this->warn($path, $answer);
                return $answer;
            } catch (AtumpanError | TransportError $trouble) {
                if ($retries >= $this->client->maxRetries || !self::mayRepeat($trouble)) {
                    throw $trouble;
                }
                usleep((int) (1_000_000 * self::pauseSeconds($trouble, $retries)));
            }
        }
    }

    /** The key of the caller, or a new one. */
    private static function key(mixed $given): string
    {
        if ($given === null) {
            return bin2hex(random_bytes(16));
        }
        if (is_string($given) && preg_match('/^[A-Za-z0-9._:-]{1,255}$/D', $given)) {
            return $given;
        }
        throw new \InvalidArgumentException('idempotencyKey must have 1 to 255 characters of A-Z a-z 0-9 . _ : -');
    }

    /**
     * Fills in the parameters of a path. What is left is the body.
     *
     * @param array<string, mixed> $body
     * @return array{string, array<string, mixed>}
     */
    private static function addressed(
        string $pattern,
        #[\SensitiveParameter]
        array $body,
    ): array {
        $fill = static function (array $match) use ($pattern, &$body): string {
            $value = $body[$match[1]] ?? '';
            unset($body[$match[1]]);
            if ((!is_string($value) && !is_int($value)) || in_array($value, self::NO_SEGMENTS, true)) {
                throw new \InvalidArgumentException("$pattern needs {$match[1]}");
            }
            return rawurlencode((string) $value);
        };
        $path = preg_replace_callback('/\{(\w+)\}/', $fill, $pattern);
        return [$path, $body];
    }

    /**
     * The client's credentials of the kind that the argument begins, or else of the first kind that the client has.
     *
     * @param array<string, mixed> $facts
     * @param array<string, mixed> $given
     * @return array<string, string>
     */
    private function credentials(
        array $facts,
        #[\SensitiveParameter]
        array $given,
    ): array {
        $known = $this->client->credentials;
        $kinds = $facts['credentials'];
        $begun = array_filter($kinds, static fn (array $names) => array_intersect_key($given, array_flip($names)) !== []);
        $had = array_filter($kinds, static fn (array $names) => isset($known[$names[0]]));
        $kind = [...$begun, ...$had][0] ?? [];
        return array_intersect_key($known, array_flip($kind));
    }

    /**
     * Sends a request once.
     *
     * @param list<string> $headers
     * @return array<string, mixed>
     */
    private function attempt(
        string $path,
        array $headers,
        #[\SensitiveParameter]
        string $json,
    ): array {
        $answered = [];
        $seconds = $this->client->timeoutSeconds;
        curl_setopt_array($this->curl, [
            CURLOPT_URL => $this->client->baseUrl . $path,
            CURLOPT_POST => true,
            CURLOPT_POSTFIELDS => $json,
            CURLOPT_HTTPHEADER => $headers,
            CURLOPT_RETURNTRANSFER => true,
            // Another address would get the keys.
            CURLOPT_FOLLOWLOCATION => false,
            CURLOPT_TIMEOUT_MS => (int) ($seconds * 1_000),
            CURLOPT_HEADERFUNCTION => static function (\CurlHandle $_, string $line) use (&$answered): int {
                [$name, $value] = [...explode(':', $line, 2), ''];
                $answered[strtolower($name)] = trim($value);
                return strlen($line);
            },
        ]);
        $text = curl_exec($this->curl);
        $error = curl_errno($this->curl);
        if ($error === CURLE_OPERATION_TIMEDOUT) {
            throw new TransportError('timeout', $path, "no answer within $seconds s");
        }
        if ($error !== 0) {
            $neverSent = in_array($error, [CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_CONNECT], true);
            $why = curl_error($this->curl);
            throw new TransportError('network', $path, "the connection failed ($why)", $neverSent);
        }
        return self::answer($path, (int) curl_getinfo($this->curl, CURLINFO_RESPONSE_CODE), $answered, $text);
    }

    /**
     * @param array<string, string> $headers
     * @return array<string, mixed>
     */
    private static function answer(string $path, int $status, array $headers, string $text): array
    {
        $envelope = json_decode($text, true);
        $success = is_array($envelope) ? ($envelope['success'] ?? null) : null;
        if ($success === true) {
            return $envelope;
        }
        if ($success !== false || !is_string($envelope['error'] ?? null)) {
            throw new TransportError('answer', $path, self::notOfTheService($status), status: $status);
        }
        throw new AtumpanError(
            $envelope['error'],
            $path,
            $headers['atumpan-outcome'] ?? 'server-error',
            $envelope['details'] ?? [],
            $envelope['warnings'] ?? [],
            isset($headers['retry-after']) ? (int) $headers['retry-after'] : null,
            $headers['atumpan-error-id'] ?? null,
            $headers['atumpan-request-id'] ?? null,
        );
    }

    private static function notOfTheService(int $status): string
    {
        return "HTTP $status without an answer of the service: something between may have answered, or cut the body";
    }

    /**
     * Tells the warnings of a success.
     *
     * @param array<string, mixed> $answer
     */
    private function warn(string $path, array $answer): void
    {
        $warnings = $answer['warnings'] ?? [];
        if ($warnings === []) {
            return;
        }
        if ($this->client->onWarning !== null) {
            ($this->client->onWarning)($warnings, $path);
            return;
        }
        $said = array_map(static fn (array $one): string => "{$one['field']}: {$one['message']}", $warnings);
        trigger_error("atumpan: $path: " . implode('; ', $said), E_USER_NOTICE);
    }

    /** Whether a call may be sent again. A read may, and a change has its effect once, because it has a key. */
    private static function mayRepeat(AtumpanError|TransportError $trouble): bool
    {
        if ($trouble instanceof TransportError) {
            $status = $trouble->status ?? 0;
            return $trouble->kind !== 'answer' || $status >= 500 || $status === 429 || $status === 200;
        }
        $wait = $trouble->retryAfterSeconds;
        if ($wait !== null && $wait > self::RETRY_AFTER_SECONDS_AT_MOST) {
            return false;
        }
        return in_array($trouble->errorCode, self::REPEATED, true);
    }

    /** How long to wait: as long as the service says, else ever longer, and never as long as others. */
    private static function pauseSeconds(AtumpanError|TransportError $trouble, int $retries): float
    {
        $growing = min(self::BACKOFF_SECONDS * 2 ** $retries, self::BACKOFF_SECONDS_AT_MOST);
        $wanted = $trouble instanceof AtumpanError ? ($trouble->retryAfterSeconds ?? 0) : 0;
        return $wanted + $growing * random_int(500, 1_000) / 1_000;
    }
}
