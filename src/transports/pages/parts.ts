/** Parts of the doors that the server of pages uses. */
import type { Logger } from 'pino';
import type { Blobs } from '#core/blobs.ts';
import type { RedirectPolicy } from '#core/redirect-policy.ts';
import type { PagesParts } from '#ui/parts.ts';
import type { Bodies } from '../bodies/bodies.ts';
import type { Branding } from '../branding.ts';
import type { Dispatcher } from '../dispatch.ts';
import { getBinding } from '../operations.ts';
import type { RequestLimiter } from '../rest/rate-limit.ts';
import { lookUpSession } from './find-session.ts';
import { receiveFileForm } from './receive-file-form.ts';

/** What the kit of pages asks of the server. */
type Served = 'lookUpSession' | 'setBodyOwner' | 'receiveFileForm' | 'callOperation';

export interface DoorParts extends Omit<PagesParts, Served> {
  readonly dispatcher: Dispatcher;
  readonly bodies: Bodies;
  /** Receives files that people upload. */
  readonly blobs: Blobs;
}

declare module '#ui/parts.ts' {
  interface PagesParts {
    readonly rateLimiter: RequestLimiter;
    readonly log: Logger;
    readonly branding: Branding;
    /** Where programs may have their codes sent. */
    readonly redirectPolicy: RedirectPolicy;
  }
}

export function createPagesParts(parts: DoorParts): PagesParts {
  return {
    ...parts,
    lookUpSession: (request) => lookUpSession(parts, request),
    setBodyOwner: (request, owner) => parts.bodies.setOwner(request, owner),
    receiveFileForm: (request, options) => receiveFileForm(parts.blobs, request, options),
    callOperation: (operation, input, { request, session }) =>
      parts.dispatcher.call({
        binding: getBinding(operation.id),
        input: {
          params: { ...input.params },
          query: { ...input.query },
          body: input.body,
          upload: input.upload,
          headers: { ...input.headers },
        },
        bodyLength: 0,
        principal: session.principal,
        requestId: request.id,
        address: request.ip,
        idempotencyKey: input.idempotencyKey,
      }),
  };
}
