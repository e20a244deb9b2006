/** Address of the console that signs an operator in. The token follows a #: browsers don't send it, so no log has it. */
export const signInUrl = (publicUrl: string, signInToken: string): string => `${publicUrl}/console#token=${signInToken}`
