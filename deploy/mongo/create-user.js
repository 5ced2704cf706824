// The image runs this once, on an empty data folder: creates the user of the services.
db.getSiblingDB('gatehouse').createUser({
  user: 'gatehouse',
  pwd: process.env.MONGODB_PASSWORD,
  roles: ['readWrite'],
});
