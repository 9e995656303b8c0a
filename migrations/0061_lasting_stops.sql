-- when the analysis of the run stopped; clients are told of a stop that lasts
alter table runs add column stopped_at timestamptz;

-- completing less than was ordered is an event of the review, with its reason
alter table review_events drop constraint review_events_action_check;
alter table review_events add constraint review_events_action_check check (action in ('completed', 'analyzed',
  'analysis_asked', 'analysis_failed', 'decided', 'sent_back', 'run_repeated', 'released_part', 'released', 'amended',
  'discarded'));
