/** An archive of many files that is written entry by entry. */

export interface ArchiveEntry {
  readonly path: string;
  readonly content: string | Uint8Array | AsyncIterable<Uint8Array | string>;
  /** False for content that is compressed already. */
  readonly compress: boolean;
}

export interface WrittenEntry {
  readonly path: string;
  /** Before compression. */
  readonly bytes: number;
  /** Hex digest of the content. */
  readonly sha256: string;
}

export interface ArchiveOptions {
  /** The modification time of every entry, so that the same content gives the same archive. */
  readonly modifiedAt: Date;
  /** Called when an entry is complete and before the next is asked for. */
  readonly onWritten: (entry: WrittenEntry) => void;
}
