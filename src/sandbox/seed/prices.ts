/** Gives a new sandbox its first price list and offers the assays of it; an environment with a list keeps its own. */
import type { Work } from '#core/context.ts';
import { createOrganizationScope } from '#core/scope.ts';
import type { Database } from '#core/sql.ts';
import { createEntry } from '#features/pricing/assay-types/rules.ts';
import { rewriteAssayType } from '#features/pricing/assay-types/store.ts';
import { listAssayNames } from '#assays/registry.ts';
import { FIRST_START, INSTALLATION_ID } from '#features/audit/rules.ts';
import { hasAnyPriceList, insertDraftList, lockPublications } from '#features/pricing/store.ts';
import { recordChange } from '#features/audit/record-change.ts';
import { publishDraft } from '#features/pricing/publish-price-list.ts';
import type { PriceListContent } from '#features/pricing/price-list.ts';
import { findSimulatedAssay } from '#assays/simulated.ts';

export async function seedPrices(work: Work, database: Database): Promise<void> {
  await database.runTransaction(async (tx) => {
    await lockPublications(tx);
    if (await hasAnyPriceList(tx)) return;
    const { effective_from: effectiveFrom } = seedPriceList;
    const at = work.clock.now();
    const id = work.ids.createUuid();
    await insertDraftList(tx, id, seedPriceList, at);
    const version = await publishDraft(tx, { id, effective_from: effectiveFrom }, new Date(effectiveFrom));
    for (const name of listAssayNames())
      await rewriteAssayType(
        tx,
        { ...createEntry(name), offered: true, turnaround_workdays: TURNAROUND_WORKDAYS },
        at,
      );
    await recordChange(work, tx, createOrganizationScope(INSTALLATION_ID), {
      ...FIRST_START,
      operation: 'seed_prices',
      subject: id,
      details: { version, assays: listAssayNames() },
    });
  });
}

/** What a sandbox promises of every assay, so that its orders have dates like those of a lab; it is done in seconds. */
const TURNAROUND_WORKDAYS = 10;

/** The first price list of a sandbox. */

/** The list counts from this day in every sandbox, so that each has the same version. */
const EFFECTIVE_FROM = '2026-01-20T00:00:00.000Z';

export const seedPriceList: PriceListContent = {
  effective_from: EFFECTIVE_FROM,
  note: 'Prices of the sandbox',
  prices: listAssayNames().flatMap((name) => {
    const simulated = findSimulatedAssay(name);
    return simulated === undefined ? [] : [{ experiment_type: name, method: null, ...simulated.price }];
  }),
  volume_discounts: [],
  materials: [],
};
