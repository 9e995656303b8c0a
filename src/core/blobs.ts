/** Where raw files are kept for ever, named by the SHA-256 of their bytes. */
export interface Blobs {
  /** Durable when it resolves; putting the same bytes twice is one blob. Returns the digest in hex. */
  put(bytes: Uint8Array): Promise<string>;
  /** A file of this machine that holds the blob: workers read it themselves, a part at a time. */
  locate(sha256: string): Promise<string>;
}
