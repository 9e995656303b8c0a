/** The port for requests to addresses that clients name: the only way to reach a host of a client. */

/** The shortest secret that signs. */
export const SECRET_LENGTH_MIN = 32;
/** `prefixed` writes `sha256=…`, which some receivers expect. */
export const signatureFormats = ['hex', 'prefixed'] as const;
export type SignatureFormat = (typeof signatureFormats)[number];

/** The values that a delivery uses for version and type: our own, or those that the public contract prints. */
export type DeliveryWords = 'own' | 'published';

export interface OutgoingRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** What no excerpt of the answer may show, such as passwords in headers that the receiver repeats. */
  readonly hidden?: readonly string[];
}

/** `answered`: the receiver sent a status. `refused`: the address is not allowed, and nothing was sent. */
export type OutgoingOutcome =
  | {
      readonly kind: 'answered';
      readonly status: number;
      /** `Retry-After` as it was sent; null without one. */
      readonly retryAfter: string | null;
      /** The begin of the body; empty without one. */
      readonly excerpt: string;
    }
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'failed'; readonly reason: string };

/** `problem`: the address is never allowed. `warning`: it may become reachable, for example once its name resolves. */
export interface Inspection {
  readonly problem: string | null;
  readonly warning: string | null;
}

export interface Outgoing {
  /** Checks an address as `post` does, resolves its name, and connects to nothing. */
  inspect(url: string): Promise<Inspection>;
  /** Sends one POST; never throws for what the receiver or the network does. */
  post(request: OutgoingRequest): Promise<OutgoingOutcome>;
}
