/** The tests prove this of the section about Storage Boxes. */
import type { SpecRows } from '../../../../test/walks/spec/rows.ts'

const section = 'Storage Boxes'

export const spec: SpecRows = {
  sentences: [
    {
      section,
      says: 'They answer below both roots alike, and their actions are found at the root of all',
      tests: [
        'storage-boxes.test.ts: both roots answer alike, and actions are found at the root of all',
        'storage-box-types.test.ts: they are below the root of storage as well',
      ],
    },
    {
      section,
      says: 'A box is initializing until create has succeeded, and so long without username, server and system',
      tests: [
        'storage-boxes.test.ts: one is initializing without a name of its own, then active, with exactly the documented fields',
        'storage-boxes.test.ts: a creation that fails leaves nothing behind',
      ],
    },
    {
      section,
      says: 'Settings that are left out are off, keys are those that OpenSSH writes, and passwords follow the rules',
      tests: [
        'storage-boxes.test.ts: settings that are not named are off, and keys are those that OpenSSH writes',
        'storage-boxes.test.ts: passwords have at least 12 characters of four kinds, and nobody hears of them again',
        'storage-boxes.test.ts: a password is reset, and the former one is kept when that fails',
      ],
    },
    {
      section,
      says: 'A protected box is not deleted; one is there until the action of its deletion has ended',
      tests: [
        'storage-boxes.test.ts: what is protected is not deleted; deleting answers with an action, and the box is there until that has ended',
      ],
    },
    {
      section,
      says: 'One action runs on a box at a time: of parallel creations all but one are locked, other changes wait in line',
      tests: [
        'snapshots.test.ts: of parallel requests one makes a snapshot, the others are locked',
        'subaccounts.test.ts: of parallel requests one makes a subaccount, the others are locked',
        'subaccounts.test.ts: several of a box change and go at the same time, one after the other; nothing happens to all of it meanwhile',
      ],
    },
    {
      section,
      says: 'Snapshots are called by their time; a rollback removes newer ones',
      tests: [
        'snapshots.test.ts: a snapshot is called by its time, and by the rhythm of its plan',
        'snapshots.test.ts: a rollback brings back the directories of its time, and newer snapshots go',
      ],
    },
    {
      section,
      says: 'A plan makes snapshots by the clock on days that are both, and the oldest ones beyond max_snapshots go',
      tests: [
        'snapshots.test.ts: a plan has its next snapshot on the next day that is all of what it says, in UTC',
        'snapshots.test.ts: a plan makes snapshots by the clock, and the oldest of them go when there are too many',
        'snapshots.test.ts: a plan is shown, replaced and taken away, and its snapshots stay',
      ],
    },
    {
      section,
      says: 'A subaccount is called after its box, with a number that is given out once and a name that is unique there',
      tests: [
        'subaccounts.test.ts: one is answered with its ids alone, and has exactly the documented fields',
        'subaccounts.test.ts: its name is unique in the box, and a number is given out once',
        'subaccounts.test.ts: its directory is within the box, and its password as good as that of the box',
      ],
    },
    {
      section,
      says: 'stats are what was measured last: after each action on snapshots, and by a job',
      tests: [
        'storage-boxes.test.ts: what a box takes is measured by a job, too, and by no list',
        'storage-boxes.test.ts: are filtered by name and labels, and sorted by what boxes take',
      ],
    },
  ],
}
