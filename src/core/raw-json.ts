/** A body that the database already built as JSON text; it is sent without parsing. */
export class RawJson {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}
