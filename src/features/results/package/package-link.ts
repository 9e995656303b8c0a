/** Links to data packages. They are signed here, so that no key is sent to the database. */
import { addMs, DAY_MS } from '#core/clock.ts';
import type { ReadContext } from '#core/context.ts';
import { RawJson } from '#core/reply.ts';

/** Path of archives: `/files/data-packages/{organization_id}/{experiment_id}`, behind a signed link. */
export const DATA_PACKAGE_PATH = '/files/data-packages';

/** Path of archives for the lab, of results before their release: `/files/review-packages/{experiment_id}`. */
export const REVIEW_PACKAGE_PATH = '/files/review-packages';

/** JSON strings escape quotes, so a name or a note can never match this pattern. */
const UNSIGNED = new RegExp(`"data_package_url":"(${DATA_PACKAGE_PATH}/[0-9a-f-]{36}/[0-9a-f-]{36})"`, 'g');

type Signing = Pick<ReadContext, 'links' | 'clock' | 'site'>;

export function createPackageLink({ links, clock, site }: Signing, path: string, lifeMs: number): string {
  return `${site.baseUrl}${links.sign(path, addMs(clock.now(), lifeMs))}`;
}

/** Result records as the store wrote them, with links that work for a day. */
export function withPackageLinks(context: Signing, { text }: RawJson): RawJson {
  const signed = new Map<string, string>();
  return new RawJson(
    text.replaceAll(UNSIGNED, (_whole, path: string) => {
      const link = signed.get(path) ?? createPackageLink(context, path, DAY_MS);
      signed.set(path, link);
      return `"data_package_url":"${link}"`;
    }),
  );
}

/** Result records for an archive, without links: an expiring link would make every copy differ. */
export function removePackageLinks(text: string): string {
  return text.replaceAll(UNSIGNED, '"data_package_url":null');
}
