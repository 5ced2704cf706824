/** A person who can log in at the practice identity provider. The passwords are no secrets. */
export interface PracticePerson {
  /** The name at login, and what never changes about the person. */
  uid: string;
  password: string;
  email: string;
  firstName: string;
  lastName: string;
  role: 'Admin' | 'Editor' | 'Viewer';
  department: string;
}

const person = (
  firstName: string,
  lastName: string,
  role: PracticePerson['role'],
  department: string,
): PracticePerson => {
  const uid = firstName.toLowerCase();
  return {
    uid,
    password: `${uid}-practice`,
    email: `${uid}@practice.test`,
    firstName,
    lastName,
    role,
    department,
  };
};

export const PEOPLE: readonly PracticePerson[] = [
  person('Ada', 'Lovelace', 'Admin', 'Engines'),
  person('Grace', 'Hopper', 'Editor', 'Compilers'),
  person('Linus', 'Torvalds', 'Viewer', 'Kernels'),
];

/** The states of a person at the provider. */
export const CONDITIONS = ['active', 'disabled', 'deleted'] as const;
export type Condition = (typeof CONDITIONS)[number];

/** Creates the people of one run. The page /people changes their state. */
export function createStaff() {
  const conditions = new Map<string, Condition>();
  const conditionOf = ({ uid }: PracticePerson): Condition => conditions.get(uid) ?? 'active';
  const staff = {
    /** Whether answers about people take longer than Gatehouse waits. */
    isSlow: false,
    conditionOf,
    /** All people who are not deleted. */
    people: () => PEOPLE.filter((person) => conditionOf(person) !== 'deleted'),
    setCondition: (uid: string, condition: Condition) => void conditions.set(uid, condition),
    /** @param name the uid or the address. @returns the person if they may log in. */
    find(name: string): PracticePerson | undefined {
      const key = name.trim().toLowerCase();
      return staff
        .people()
        .find((person) => [person.uid, person.email].includes(key) && conditionOf(person) === 'active');
    },
    /** Returns the person if they may log in and the password is theirs. */
    check(name: string, password: string): PracticePerson | undefined {
      const person = staff.find(name);
      return person?.password === password ? person : undefined;
    },
  };
  return staff;
}

export type Staff = ReturnType<typeof createStaff>;

/** Milliseconds of a slow answer; Gatehouse waits 10 seconds for a provider. */
const SLOW = 20_000;

/** Resolves at once, or much later while answers are slow. */
export const paused = async ({ isSlow }: Pick<Staff, 'isSlow'>): Promise<void> => {
  if (isSlow) await new Promise((resolve) => setTimeout(resolve, SLOW).unref());
};
