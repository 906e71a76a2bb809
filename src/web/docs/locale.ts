// The locale of a page of the reference: its language and its texts.
import type { Language, Sentence } from "../../platform/http/refusals.ts";
import { setInFrench } from "../pages/words.ts";

export class Locale {
  readonly language: Language;
  readonly #numbers: Intl.NumberFormat;

  constructor(language: Language) {
    this.language = language;
    this.#numbers = new Intl.NumberFormat(language);
  }

  /** Returns the sentence in the language of the page: French first, English second. */
  t(fr: string, en: string): string {
    return this.language === "fr" ? setInFrench(fr) : en;
  }

  say({ fr, en }: Sentence): string {
    return this.t(fr, en);
  }

  number(value: number): string {
    return this.#numbers.format(value);
  }
}
