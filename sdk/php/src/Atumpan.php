<?php

declare(strict_types=1);

namespace Atumpan;

/**
 * A client of the service. `/v1/contact/create` is `$client->contact->create(['contacts' => […]])`,
 * `/v1/contact/{id}/update` is `$client->contact->update(['id' => …, 'name' => …])`, and `/v1/contact/{id}` is
 * `$client->contact->read(['id' => …])`.
 *
 * Each operation is given those credentials that it takes; its argument may have others.
 *
 * Options: `baseUrl`; the credentials `apiKey`, `companyId`, `connectionToken`, `apiSecret`, `serverApiKey`, `adminKey`;
 * `maxRetries`, how often a call is tried again (2; 0: never); `timeoutSeconds`, how long one try may take (35);
 * `onWarning`, told of warnings in answers, which are `E_USER_NOTICE` otherwise.
 */
final class Atumpan extends Operation
{
    /** @param array<string, mixed> $options */
    public function __construct(
        #[\SensitiveParameter]
        array $options,
    ) {
        parent::__construct(new Calls(new Settings($options)));
    }
}
