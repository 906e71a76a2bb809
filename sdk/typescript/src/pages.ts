// Lists: a page and the pages behind it.
import type { Answer, Body } from "./calls.ts";

type Ask = (body: Body) => Promise<Answer>;

/** One page of a list. `for await` goes through its rows and those of all pages behind it. */
export type Page<Row, Beside = unknown> = PageOfRows<Row> & Beside;

class PageOfRows<Row> implements AsyncIterable<Row> {
  readonly data: Row[];
  /** Rows of all pages. */
  readonly totalCount: number;
  /** Rows of this page. */
  readonly count: number;
  readonly page: number;
  readonly totalPage: number;
  readonly #following: () => Promise<PageOfRows<Row> | undefined>;

  constructor(answer: Answer, following: () => Promise<PageOfRows<Row> | undefined>) {
    const { success, error, warnings, data, totalCount, count, page, totalPage, ...beside } = answer;
    this.data = data as Row[];
    this.totalCount = Number(totalCount);
    this.count = Number(count);
    this.page = Number(page);
    this.totalPage = Number(totalPage);
    this.#following = following;
    Object.assign(this, beside);
  }

  /** The page behind this one; undefined behind the last. */
  following(): Promise<PageOfRows<Row> | undefined> {
    return this.#following();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Row, void, undefined> {
    let page: PageOfRows<Row> | undefined = this;
    while (page) {
      yield* page.data;
      page = await page.following();
    }
  }
}

/**
 * A list that was asked for. `await` gives its first page, `for await` the rows of all pages. It asks the service when one
 * of the two begins.
 */
export class Listing<Row, Beside = unknown> implements PromiseLike<Page<Row, Beside>>, AsyncIterable<Row> {
  readonly #first: () => Promise<Page<Row, Beside>>;
  #page: Promise<Page<Row, Beside>> | undefined;

  constructor(ask: Ask, body: Body) {
    this.#first = () => read<Row>(ask, body) as Promise<Page<Row, Beside>>;
  }

  // biome-ignore lint/suspicious/noThenProperty: it is awaited
  then<A = Page<Row, Beside>, B = never>(
    kept?: ((page: Page<Row, Beside>) => A | PromiseLike<A>) | null,
    broken?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    this.#page ??= this.#first();
    return this.#page.then(kept, broken);
  }

  catch<B = never>(
    broken?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<Page<Row, Beside> | B> {
    return this.then(undefined, broken);
  }

  finally(last?: (() => void) | null): Promise<Page<Row, Beside>> {
    return this.then().finally(last);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Row, void, undefined> {
    yield* await this.then();
  }
}

async function read<Row>(ask: Ask, body: Body): Promise<PageOfRows<Row>> {
  const answer = await ask(body);
  return new PageOfRows<Row>(answer, async () => {
    const behind = behindOf(body, answer);
    return behind && read<Row>(ask, behind);
  });
}

/** The body that asks for the page behind, after the last row of this one. */
function behindOf(
  { page: _, before: __, afterId: ___, afterNumber: ____, ...body }: Body,
  { nextCursor }: Answer,
): Body | undefined {
  return typeof nextCursor === "string" ? { ...body, after: nextCursor } : undefined;
}
