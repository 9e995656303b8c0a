/** Permanent storage of raw files, named by the SHA-256 of their bytes. */
export interface Blobs {
  /** Stores the bytes durably and returns their digest in hex. The same bytes twice are one blob. */
  put(bytes: Uint8Array): Promise<string>;
  /**
   * Receives a file as it arrives. Nothing is stored yet; an error from `parts` leaves nothing behind, a killed process
   * does. `owner`, an id, tells whose file it is.
   */
  stage(parts: AsyncIterable<Uint8Array> | Iterable<Uint8Array>, owner?: string): Promise<StagedFile>;
  /** Removes what a dead process staged for this owner and neither kept nor dropped. */
  dropStaged(owner: string): Promise<void>;
  /** Returns the path of a file on this machine that holds the blob, so that workers can read it in parts. */
  locate(sha256: string): Promise<string>;
  /** Removes a blob that can be made again; one that is missing is no error. Readers that have it open go on. */
  remove(sha256: string): Promise<void>;
  /** Opens room on the same disk for what a piece of work keeps until it ends; what a dead process left is removed a day later. */
  openScratch(): Promise<Scratch>;
  /** Whether the disk of the blobs, or a quota, was too full for a write of this process within the last minute. */
  isDiskFull(): boolean;
}

/** Files of one piece of work. */
export interface Scratch {
  /** The work may write files whose path begins with this. */
  readonly prefix: string;
  /** Removes them. */
  drop(): Promise<void>;
}

/** A file that arrived complete and can be read; the caller keeps or drops it. */
export interface StagedFile {
  readonly path: string;
  readonly sha256: string;
  readonly sizeBytes: number;
  /** Stores the file as a blob, durable when the promise resolves. */
  keep(): Promise<void>;
  /** Removes a file that was not kept; may be called at any time. */
  drop(): Promise<void>;
}

/** The directory that holds the blobs, told from others by a random id in a file of its own, which copies keep. */
export interface BlobDirectory {
  readonly root: string;
  /** Null while the directory, or its id, is missing. */
  readId(): Promise<string | null>;
  /**
   * Gives the directory this id, durably, unless it has one. Returns the id that it has: of two processes that start
   * at the same time both get the same.
   */
  ensureId(id: string): Promise<string>;
  has(sha256: string): Promise<boolean>;
}
