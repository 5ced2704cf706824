import { becomeOperator } from '../operators/become-operator.ts';
import { changePassword } from './change-password.ts';
import { deleteAccount } from './deletion/request.ts';
import { endOtherSessions } from './end-other-sessions.ts';
import { endSession } from './end-session.ts';
import { forgotPassword } from './forgot-password.ts';
import { listSessions } from './list-sessions.ts';
import { nameSession } from './name-session.ts';
import { ownAudit } from './own-audit.ts';
import { downloadOwnData } from './own-data/download.ts';
import { getPicture } from './pictures/get.ts';
import { removePicture } from './pictures/remove.ts';
import { setPicture } from './pictures/set.ts';
import { readProfile, updateProfile } from './profile.ts';
import { requestEmail } from './request-email.ts';
import { resetPassword } from './reset-password.ts';
import { listOwnRoles } from './roles.ts';
import { signup } from './signup.ts';
import { undoEmail } from './undo-email.ts';
import { verifyEmail } from './verify-email.ts';
import { verifyOtp } from './verify-otp.ts';

/** The operations on one's own account. */
export const account = [
  signup,
  verifyOtp,
  forgotPassword,
  resetPassword,
  readProfile,
  updateProfile,
  setPicture,
  removePicture,
  getPicture,
  changePassword,
  deleteAccount,
  requestEmail,
  verifyEmail,
  undoEmail,
  ownAudit,
  downloadOwnData,
  listOwnRoles,
  listSessions,
  nameSession,
  endSession,
  endOtherSessions,
  becomeOperator,
];
