/** Where raw files are kept for ever, named by the SHA-256 of their bytes. */
export interface Blobs {
  /** Durable when it resolves; putting the same bytes twice is one blob. Returns the digest in hex. */
  put(bytes: Uint8Array): Promise<string>;
  /** Takes in a file as it arrives. Nothing is kept yet; what `parts` throws leaves nothing behind. */
  stage(parts: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<StagedFile>;
  /** A file of this machine that holds the blob: workers read it themselves, a part at a time. */
  locate(sha256: string): Promise<string>;
}

/** A file that arrived whole and can be read, to be kept or dropped. */
export interface StagedFile {
  readonly path: string;
  readonly sha256: string;
  readonly sizeBytes: number;
  /** Makes it a blob, durable when it resolves. */
  keep(): Promise<void>;
  /** Removes what was not kept; may be called at any time. */
  drop(): Promise<void>;
}
