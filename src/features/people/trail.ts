/** Writes changes of people to their own account to the audit trails of their organizations. */
import type { BrowserOrigin, Work } from '#core/context.ts';
import { labScope, createOrganizationScope } from '#core/scope.ts';
import type { Transaction } from '#core/sql.ts';
import { recordAct } from '../audit/record-change.ts';
import { selectOrganizationIdsOfUser } from './store.ts';

export type PersonEvent =
  | 'sign_in'
  | 'sign_in_failed'
  | 'sign_in_locked'
  | 'sign_out'
  | 'change_password'
  | 'add_passkey'
  | 'remove_passkey'
  | 'change_name'
  | 'disconnect_program'
  | 'set_up'
  | 'found_organization'
  | 'accept_invitation'
  | 'prove_address'
  | 'leave_organization'
  | 'stop_mail';

export interface PersonEntry {
  readonly event: PersonEvent;
  readonly person: { readonly id: string; readonly email: string };
  readonly origin: BrowserOrigin | undefined;
  readonly status?: number;
  readonly subject?: string | null;
  readonly tokenId?: string | null;
  readonly details?: Readonly<Record<string, unknown>> | null;
}

export async function recordIn(
  work: Work,
  tx: Transaction,
  organizationId: string,
  entry: PersonEntry,
): Promise<void> {
  const { event, person, origin, status, tokenId, details } = entry;
  await recordAct(work, tx, createOrganizationScope(organizationId), {
    by: { userId: person.id, userEmail: person.email, tokenId },
    operation: event,
    subject: entry.subject ?? person.id,
    status,
    details,
    origin,
  });
}

/** Writes to every organization of the person, because a password or passkey gives access to all of them. */
export async function recordEverywhere(work: Work, tx: Transaction, entry: PersonEntry): Promise<void> {
  for (const organizationId of await selectOrganizationIdsOfUser(labScope, tx, entry.person.id))
    await recordIn(work, tx, organizationId, entry);
}
