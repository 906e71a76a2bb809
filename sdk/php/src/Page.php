<?php

declare(strict_types=1);

namespace Atumpan;

/**
 * One page of a list. `foreach` goes through its rows and those of all pages behind it.
 *
 * @property-read list<mixed> $data
 * @property-read int $totalCount rows of all pages
 * @property-read int $count rows of this page
 * @property-read int $page
 * @property-read int $totalPage
 * @implements \IteratorAggregate<int, mixed>
 */
final class Page implements \IteratorAggregate, \Countable
{
    /** @var array<string, mixed> */
    private readonly array $answer;

    /**
     * @param \Closure(array<string, mixed>): array<string, mixed> $ask
     * @param array<string, mixed> $body
     */
    public function __construct(
        private readonly \Closure $ask,
        #[\SensitiveParameter]
        private readonly array $body,
    ) {
        $this->answer = $ask($body);
    }

    /** What the answer has: `data`, the counts, and what stands beside them. */
    public function __get(string $name): mixed
    {
        if (!array_key_exists($name, $this->answer)) {
            throw new \LogicException("this list has no $name");
        }
        return $this->answer[$name];
    }

    public function __isset(string $name): bool
    {
        return isset($this->answer[$name]);
    }

    /** Rows of this page. */
    public function count(): int
    {
        return count($this->answer['data']);
    }

    /** The page behind this one; null behind the last. */
    public function following(): ?self
    {
        $body = $this->behind();
        return $body === null ? null : new self($this->ask, $body);
    }

    public function getIterator(): \Generator
    {
        $at = 0;
        for ($page = $this; $page !== null; $page = $page->following()) {
            foreach ($page->answer['data'] as $row) {
                yield $at++ => $row;
            }
        }
    }

    /**
     * The body that asks for the page behind, after the last row of this one.
     *
     * @return array<string, mixed>|null
     */
    private function behind(): ?array
    {
        $cursor = $this->answer['nextCursor'] ?? null;
        if ($cursor === null) {
            return null;
        }
        $body = $this->body;
        unset($body['page'], $body['before'], $body['afterId'], $body['afterNumber']);
        return [...$body, 'after' => $cursor];
    }
}
