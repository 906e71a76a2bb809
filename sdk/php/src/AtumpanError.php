<?php

declare(strict_types=1);

namespace Atumpan;

/** The service refused. `errorCode`, and `getCode()`, is the `error` of its answer. */
final class AtumpanError extends \RuntimeException
{
    /**
     * @param string $outcome the class of the refusal: the header `Atumpan-Outcome`
     * @param list<array{field: string, message: string}> $details what is wrong, and with which field
     * @param list<array{field: string, message: string}> $warnings
     * @param int|null $retryAfterSeconds when the same call may pass
     * @param string|null $errorId the reference of a `server-error`, to be told to the service
     * @param string|null $requestId the id of the request, by which the service finds all that it did: the header `Atumpan-Request-Id`
     */
    public function __construct(
        public readonly string $errorCode,
        public readonly string $path,
        public readonly string $outcome,
        public readonly array $details,
        public readonly array $warnings,
        public readonly ?int $retryAfterSeconds,
        public readonly ?string $errorId,
        public readonly ?string $requestId = null,
    ) {
        $said = '';
        foreach ([...$details, ...$warnings] as $one) {
            $said .= "; {$one['field']} {$one['message']}";
        }
        parent::__construct("$path: $errorCode$said");
        $this->code = $errorCode;
    }
}
