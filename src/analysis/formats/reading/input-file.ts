/** A raw file as the readers get it: its name, its bytes and its size. */

export interface InputFile {
  /** Name or path as uploaded; a format may use its extension and folder. */
  name: string;
  /**
   * The whole content. A file on disk or in an archive is read again at each access, so access it once, and only if
   * the file is needed as a whole.
   */
  bytes: Uint8Array;
  /** The size, and a reader of a part, of a file that is better not read whole. */
  sizeBytes?: number;
  readRange?: (from: number, to: number) => Uint8Array;
}

const HEAD_BYTES = 2_048;

export function getSize(file: InputFile): number {
  return file.sizeBytes ?? file.bytes.length;
}

/** Returns the bytes in [`from`, `to`), or up to the end of a shorter file. */
export function readRange(file: InputFile, from: number, to: number): Uint8Array {
  return file.readRange?.(from, to) ?? file.bytes.subarray(from, to);
}

/** Returns the first characters, which suffice to recognize the format. */
export function readHead(file: InputFile): string {
  return new TextDecoder('utf-8').decode(readRange(file, 0, HEAD_BYTES));
}
