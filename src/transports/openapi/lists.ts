import type { ListFields } from '#core/filter/index.ts';
import { allAuditFields, auditFields } from '#domain/audit/list-store.ts';
import { experimentFields } from '#domain/experiments/list-store.ts';
import { feedbackFields } from '#domain/feedback/store.ts';
import { invoiceFields } from '#domain/invoices/list-store.ts';
import { quoteFields } from '#domain/quotes/list-store.ts';
import { refundFields } from '#domain/refunds/list-store.ts';
import { experimentResultFields, resultFields } from '#domain/results/store.ts';
import { sequenceFields } from '#domain/sequences/store.ts';
import { labTargetRequestFields } from '#domain/targets/answer-store.ts';
import { targetRequestFields } from '#domain/targets/request-store.ts';
import { targetFields } from '#domain/targets/store.ts';
import { tokenFields } from '#domain/tokens/list-store.ts';
import { experimentUpdateFields, updateFields } from '#domain/updates/store.ts';

/** Which declared fields each list operation can be asked about. */
export const listsByOperation: Readonly<Record<string, ListFields | undefined>> = {
  list_experiments: experimentFields,
  list_sequences: sequenceFields,
  get_experiment_sequences: sequenceFields,
  list_audit: auditFields,
  list_all_audit: allAuditFields,
  list_feedback: feedbackFields,
  list_targets: targetFields,
  list_custom_target_requests: targetRequestFields,
  list_lab_target_requests: labTargetRequestFields,
  list_quotes: quoteFields,
  list_all_quotes: quoteFields,
  list_invoices: invoiceFields,
  list_all_invoices: invoiceFields,
  list_refunds: refundFields,
  list_tokens: tokenFields,
  list_updates: updateFields,
  get_experiment_updates: experimentUpdateFields,
  list_results: resultFields,
  get_experiment_results: experimentResultFields,
};
