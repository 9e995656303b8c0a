/** What one sender sends now, and whose turn is next. */

/** Organizations whose last lane is remembered; one that was not served for longer begins with its first lane. */
const LAST_LANES_MAX = 256;
/** Before the id of every organization. */
const FIRST_ID = '00000000-0000-0000-0000-000000000000';

interface Sent {
  readonly organization_id: string;
  readonly lane: string;
}

export class InHand {
  /** Numbers of deliveries. */
  readonly lanes = new Map<string, number>();
  readonly organizations = new Map<string, number>();
  /** The lane at which the last claim ended, by organization. */
  readonly lastLanes = new Map<string, string>();
  /** The organization at which the last claim ended. */
  lastOrganizationId: string = FIRST_ID;

  begin({ organization_id: organizationId, lane }: Sent): void {
    changeCount(this.lanes, lane, 1);
    changeCount(this.organizations, organizationId, 1);
  }

  finish({ organization_id: organizationId, lane }: Sent): void {
    changeCount(this.lanes, lane, -1);
    changeCount(this.organizations, organizationId, -1);
  }

  /** Keeps where an organization goes on. */
  moveOn({ organization_id: organizationId, lane }: Sent): void {
    this.lastLanes.delete(organizationId);
    this.lastLanes.set(organizationId, lane);
    const [oldest] = this.lastLanes.keys();
    if (this.lastLanes.size > LAST_LANES_MAX && oldest !== undefined) this.lastLanes.delete(oldest);
  }
}

function changeCount(counts: Map<string, number>, key: string, by: 1 | -1): void {
  const count = (counts.get(key) ?? 0) + by;
  if (count > 0) counts.set(key, count);
  else counts.delete(key);
}
