<?php

declare(strict_types=1);

namespace Atumpan;

/** No answer of the service came, so nobody knows whether the call had its effect, unless `neverSent`. */
final class TransportError extends \RuntimeException
{
    /**
     * @param string $kind `timeout`, `network`, or `answer` where what came is none of the service's answers
     * @param bool $neverSent no connection was made, so nothing has happened
     * @param int|null $status the HTTP status of an answer that is none of the service's
     */
    public function __construct(
        public readonly string $kind,
        public readonly string $path,
        string $message,
        public readonly bool $neverSent = false,
        public readonly ?int $status = null,
    ) {
        parent::__construct("$path: $message");
    }
}
