import type { ArchiveJob } from '../../archive/jobs/job.ts';

/** Events written in one command; other commands run in between. */
const PAGE = 500;

/** Deletes the events that only this account could read, and takes its id off the others, which organizations keep. */
export async function eraseEvents({ db, renew }: ArchiveJob, user_id: string): Promise<void> {
  for (;;) {
    await renew();
    const page = await db.events
      .find({ readers: user_id }, { projection: { readers: 1 }, limit: PAGE })
      .toArray();
    if (page.length === 0) return;
    const { own = [], shared = [] } = Object.groupBy(page, ({ readers = [] }) =>
      readers.every((reader) => reader === user_id) ? 'own' : 'shared',
    );
    await db.events.deleteMany({ _id: { $in: own.map(({ _id }) => _id) } });
    await db.events.updateMany(
      { _id: { $in: shared.map(({ _id }) => _id) } },
      { $pull: { readers: user_id }, $set: { owner_id: null } },
    );
  }
}
