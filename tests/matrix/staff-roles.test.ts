import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changesSomething } from '#core/operation.ts';
import { rolePermissions, roles, staffRolePermissions, staffRoles } from '#core/permissions.ts';
import { bindings } from '#transports/operations.ts';

/** What staff do, by the words that the contract has for each permission. */
const DEEDS: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  'lab:run': {
    materials: ['receive_materials', 'record_materials'],
    runs: [
      'plan_run',
      'edit_run_plan',
      'write_run_file',
      'create_lab_run',
      'edit_lab_run',
      'start_lab_run',
      'cancel_lab_run',
      'complete_lab_run',
      'write_lab_run_file',
      'start_run',
      'complete_raw_data',
    ],
    files: [
      'add_raw_file',
      'put_raw_file',
      'preview_raw_file',
      'preview_raw_files',
      'map_raw_files',
      'add_run_raw_file',
      'put_run_raw_file',
      'preview_run_raw_file',
      'preview_run_raw_files',
      'map_run_raw_files',
    ],
    'notes, messages, and the simulated lab': ['add_lab_note', 'send_lab_message', 'set_simulated_lab'],
  },
  'lab:review': {
    exclude: ['decide_replicates'],
    're-analyze': ['reanalyze_experiment', 'send_back_exp'],
    release: ['release_results', 'allow_unpaid_run'],
    amend: ['amend_results', 'discard_amendment'],
    'failed jobs': ['retry_job'],
  },
  'lab:price': {
    catalog: [
      'create_target',
      'edit_target',
      'import_targets',
      'validate_target_import',
      'approve_target_request',
      'decline_target_request',
      'edit_assay_type',
      'edit_lab_calendar',
    ],
    prices: [
      'create_price_list',
      'edit_price_list',
      'delete_price_list',
      'publish_price_list',
      'import_price_list',
      'validate_price_list_import',
    ],
    quotes: ['create_custom_quote', 'edit_custom_quote', 'open_custom_quote', 'withdraw_quote', 'reject_exp'],
  },
  'lab:bill': {
    invoices: [
      'send_invoice',
      'void_invoice',
      'reissue_invoice',
      'mark_invoice_uncollectible',
      'update_organization_billing',
    ],
    transfers: ['record_bank_transfer'],
    refunds: ['refund_invoice', 'retry_refund', 'record_refund', 'cancel_exp_by_staff'],
    tax: ['set_tax_rate', 'remove_tax_rate'],
  },
  'lab:appoint': { staff: ['appoint_staff', 'change_staff_roles', 'dismiss_staff'] },
  'lab:read': { 'the own notifications': ['update_lab_notifications'] },
};

test('staff roles: operator, manager, finance → exactly the permissions of the contract', () => {
  const held = Object.fromEntries(
    staffRoles.map((role) => [role, [...staffRolePermissions[role]].toSorted()]),
  );
  assert.deepEqual(held, {
    operator: ['lab:read', 'lab:run'],
    manager: ['lab:appoint', 'lab:price', 'lab:read', 'lab:review', 'lab:run'],
    finance: ['lab:bill', 'lab:read'],
  });
  for (const role of roles)
    for (const each of rolePermissions[role]) assert.ok(!each.startsWith('lab:'), role);
});

test('staff roles: every operation of the lab → the permission that the contract has for what it does; a read → lab:read', () => {
  const ofLab = bindings
    .map(({ operation }) => operation)
    .filter(({ path, permission }) => path.startsWith('/lab/') || permission.startsWith('lab:'));
  const expected = new Map(
    Object.entries(DEEDS).flatMap(([permission, words]) =>
      Object.values(words)
        .flat()
        .map((id) => [id, permission] as const),
    ),
  );
  for (const operation of ofLab) {
    const { id, permission, method } = operation;
    const isRead = method === 'GET' || (!changesSomething(operation) && !expected.has(id));
    assert.equal(permission, isRead ? 'lab:read' : expected.get(id), id);
    expected.delete(id);
  }
  assert.deepEqual([...expected.keys()], []);
  assert.ok(ofLab.length > 110, `${ofLab.length} operations`);
});
