import type { Logger } from 'pino';
import type { Blobs } from '#core/blobs.ts';
import type { OutsideDocuments, Work } from '#core/context.ts';
import type { RedirectPolicy } from '#core/redirect-policy.ts';
import type { LinkSigner } from '#core/signed-link.ts';
import type { RenderPdf } from '#presentation/document.ts';
import type { Database } from '#core/sql.ts';
import type { People } from '#features/people/port.ts';
import type { Bodies } from '../bodies/bodies.ts';
import type { Branding } from '../branding.ts';
import type { PackageTools } from '#features/results/package/await-package.ts';
import type { LiveFeed } from '#features/updates/live-feed.ts';
import type { Dispatcher } from '../dispatch.ts';
import type { RequestLimiter } from '../rest/rate-limit.ts';

/** Parts that the pages need. */
export interface PagesParts {
  readonly work: Work;
  readonly database: Database;
  readonly dispatcher: Dispatcher;
  readonly liveFeed: LiveFeed;
  readonly people: People;
  /** Where programs may have their codes sent. */
  readonly redirectPolicy: RedirectPolicy;
  /** Checks the links that stop mails. */
  readonly unsubscribeLinks: LinkSigner;
  readonly renderPdf: RenderPdf;
  readonly packages: PackageTools;
  readonly outsideDocuments: OutsideDocuments;
  readonly rateLimiter: RequestLimiter;
  readonly branding: Branding;
  readonly bodies: Bodies;
  /** Receives files that people upload. */
  readonly blobs: Blobs;
  readonly log: Logger;
}
