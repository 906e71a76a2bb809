// Types for the part of saxen that is used here; the package has none of its own.
declare module "saxen" {
  type Decode = (text: string) => string;
  type Attributes = () => Record<string, string>;
  export class Parser {
    on(event: "openTag", hear: (name: string, attributes: Attributes, decode: Decode) => void): this;
    on(event: "closeTag", hear: (name: string) => void): this;
    on(event: "text", hear: (text: string, decode: Decode) => void): this;
    on(event: "cdata", hear: (text: string) => void): this;
    on(event: "error", hear: (error: Error) => void): this;
    on(event: "attention", hear: (text: string) => void): this;
    parse(xml: string): Error | undefined;
    stop(): void;
    write(chunk: string): this;
    end(): Error | undefined;
  }
}
