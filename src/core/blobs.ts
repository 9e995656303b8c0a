/** Where raw files are kept for ever, named by the SHA-256 of their bytes. */
export interface Blobs {
  /** Durable when it resolves; putting the same bytes twice is one blob. Returns the digest in hex. */
  put(bytes: Uint8Array): Promise<string>;
  get(sha256: string): Promise<Uint8Array>;
}
