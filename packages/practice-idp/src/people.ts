/** Somebody who can log in at the practice identity provider. The passwords are no secrets. */
export interface Person {
  /** The name at login, and what never changes about the person. */
  uid: string;
  password: string;
  email: string;
  firstName: string;
  lastName: string;
  role: 'Admin' | 'Editor' | 'Viewer';
  department: string;
}

const person = (firstName: string, lastName: string, role: Person['role'], department: string): Person => {
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

export const PEOPLE: readonly Person[] = [
  person('Ada', 'Lovelace', 'Admin', 'Engines'),
  person('Grace', 'Hopper', 'Editor', 'Compilers'),
  person('Linus', 'Torvalds', 'Viewer', 'Kernels'),
];

/** @param name the uid or the address. */
export const findPerson = (name: string): Person | undefined => {
  const key = name.trim().toLowerCase();
  return PEOPLE.find(({ uid, email }) => uid === key || email === key);
};

/** Returns the person if the password is theirs. */
export function checkPassword(name: string, password: string): Person | undefined {
  const person = findPerson(name);
  return person?.password === password ? person : undefined;
}
