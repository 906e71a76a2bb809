<?php

declare(strict_types=1);

namespace Atumpan;

/** What a client is made with. */
final class Settings
{
    private const CREDENTIALS = [
        'apiKey', 'companyId', 'connectionToken', 'apiSecret', 'serverApiKey', 'adminKey',
    ];

    public readonly string $baseUrl;
    /** @var array<string, string> */
    public readonly array $credentials;
    public readonly int $maxRetries;
    public readonly float $timeoutSeconds;
    public readonly ?\Closure $onWarning;

    /** @param array<string, mixed> $options */
    public function __construct(
        #[\SensitiveParameter]
        array $options,
    ) {
        $own = ['baseUrl', 'maxRetries', 'timeoutSeconds', 'onWarning'];
        foreach (array_keys($options) as $name) {
            if (!in_array($name, [...$own, ...self::CREDENTIALS], true)) {
                throw new \InvalidArgumentException("there is no option $name");
            }
        }
        $baseUrl = $options['baseUrl'] ?? '';
        if (!is_string($baseUrl) || !preg_match('#^https?://#', $baseUrl)) {
            throw new \InvalidArgumentException('baseUrl is no address such as https://…');
        }
        $this->baseUrl = rtrim($baseUrl, '/');
        $given = array_intersect_key($options, array_flip(self::CREDENTIALS));
        $this->credentials = array_filter($given, static fn (mixed $value): bool => $value !== null);
        $this->maxRetries = $options['maxRetries'] ?? 2;
        $this->timeoutSeconds = (float) ($options['timeoutSeconds'] ?? 35);
        $onWarning = $options['onWarning'] ?? null;
        $this->onWarning = $onWarning === null ? null : \Closure::fromCallable($onWarning);
    }
}
