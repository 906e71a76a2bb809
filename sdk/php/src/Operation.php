<?php

declare(strict_types=1);

namespace Atumpan;

/** A part of the tree of operations: its members are further parts, its methods operations. */
class Operation
{
    /** @var array<string, array<string, mixed>>|null */
    private static ?array $operations = null;

    public function __construct(private readonly Calls $calls, private readonly string $prefix = '')
    {
        self::$operations ??= require __DIR__ . '/operations.php';
    }

    public function __get(string $part): self
    {
        $prefix = "$this->prefix$part.";
        foreach (self::$operations as $name => $_) {
            if (str_starts_with($name, $prefix)) {
                return new self($this->calls, $prefix);
            }
        }
        throw new \BadMethodCallException("there is no operation $this->prefix$part");
    }

    /**
     * Calls an operation with the members of an array.
     *
     * @param array{0?: array<string, mixed>} $arguments
     * @throws AtumpanError|TransportError
     */
    public function __call(
        string $part,
        #[\SensitiveParameter]
        array $arguments,
    ): mixed {
        $facts = self::$operations[$this->prefix . $part] ?? null;
        if ($facts === null) {
            throw new \BadMethodCallException("there is no operation $this->prefix$part");
        }
        $body = $arguments[0] ?? [];
        if ($facts['isList'] ?? false) {
            return new Page(fn (array $asked): array => $this->calls->call($facts, $asked), $body);
        }
        return $this->calls->call($facts, $body)['data'];
    }
}
