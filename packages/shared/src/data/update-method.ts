/** After a failover, the driver repeats a write of one document, and none of many. */
export const updateMethod = (documents: readonly unknown[]): 'updateOne' | 'updateMany' =>
  documents.length === 1 ? 'updateOne' : 'updateMany';
