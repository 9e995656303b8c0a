/** A body that is JSON text already, as the database built it: the door sends it without parsing. */
export class RawJson {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}
