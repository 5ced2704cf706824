// Written by `npm run client` from the permission table of the services. Do not edit.

/** The roles that have each permission. */
export const PERMISSIONS = {
  "create chatbot": ["Owner","Admin","Editor"],
  "edit chatbot": ["Owner","Admin","Editor"],
  "duplicate chatbot": ["Owner","Admin","Editor"],
  "delete chatbot": ["Owner","Admin"],
  "view chatbot": ["Owner","Admin","Editor","Viewer"],
  "add users": ["Owner","Admin"],
  "edit users": ["Owner","Admin"],
  "remove users": ["Owner","Admin"],
  "assign roles": ["Owner","Admin"],
  "view users": ["Owner","Admin","Editor","Viewer"],
  "view billing": ["Owner"],
  "manage payment": ["Owner"],
  "upgrade/downgrade plan": ["Owner"],
  "view analytics": ["Owner","Admin","Editor","Viewer","Analyst"],
  "export data": ["Owner","Admin","Analyst"],
  "custom reports": ["Owner","Admin","Analyst"],
  "edit system prompts": ["Owner","Admin","Editor"],
  "view prompts": ["Owner","Admin","Editor","Viewer"],
  "upload files": ["Owner","Admin","Editor"],
  "add URLs": ["Owner","Admin","Editor"],
  "manage Q&A": ["Owner","Admin","Editor"],
  "view knowledge base": ["Owner","Admin","Editor","Viewer"],
} as const;
