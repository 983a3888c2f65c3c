/** Texts of the UI. */
export const texts = {
  placeholder: 'Placeholder',
  thisAccountIsAPlaceholder: (name: string) =>
    `An import has created this account for ${name}, because it could not match the person with a user. If they have an account, assign the placeholder to it.`,
  assignToAUser: 'Assign to a user…',
  assignThePlaceholder: 'Assign the placeholder',
  chooseTheUser: (name: string) => `Choose the account of the person for whom ${name} stands.`,
  searchUsers: 'Search users',
  matchingUsers: 'Matching users',
  noOtherUsersMatch: 'No other users match.',
  isAssignedTo: (placeholder: string, user: string) => `${placeholder} is assigned to ${user}. This cannot be undone.`,
  whatMoves: 'What moves',
  contributions: 'Decisions, comments, uploads and assignments, with their dates',
  memberships: 'Memberships in groups and projects; of two roles the higher one stays',
  personalProjects: 'Personal projects',
  laterImports: 'What later imports from the same source find of this person',
  thePlaceholderIsDeleted: 'The placeholder is deleted afterwards.',
  chooseAnotherUser: 'Choose another user',
  assign: 'Assign',
  cancel: 'Cancel',
  placeholderAssigned: (user: string) => `Placeholder assigned to ${user}.`,
}
