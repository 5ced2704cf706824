// The health check: starts the replica set once, and succeeds while this member takes part in it.
db.getSiblingDB('admin').auth('root', process.env.MONGO_INITDB_ROOT_PASSWORD);
try {
  rs.status();
} catch (error) {
  if (error.codeName !== 'NotYetInitialized') throw error;
  rs.initiate({ _id: 'rs0', members: [{ _id: 0, host: 'mongo:27017' }] });
}
// While the image prepares the data folder, a server without a replica set answers.
const { setName, isWritablePrimary, secondary } = db.hello();
quit(setName && (isWritablePrimary || secondary) ? 0 : 1);
