/** Fields by which the lists of this noun can be filtered, sorted and searched. */
import { listFields } from '#core/filter/index.ts';

export const feedbackFields = listFields({
  name: 'feedback',
  key: 'id',
  defaultSort: '-created_at',
  fields: {
    id: { kind: 'uuid', sql: 'f.id' },
    reference: { kind: 'text', sql: 'f.reference' },
    feedback_type: {
      kind: 'enum',
      sql: 'f.feedback_type',
      values: ['feature_request', 'feedback', 'bug_report'],
    },
    title: { kind: 'text', sql: 'f.title', nullable: true, search: true },
    human_note: { kind: 'text', sql: 'f.human_note', nullable: true, search: true },
    organization_id: { kind: 'uuid', sql: 'f.organization_id' },
    user_email: { kind: 'text', sql: 'u.email' },
    created_at: { kind: 'timestamp', sql: 'f.created_at' },
  },
});
