/** Texts of the UI. */
export const texts = {
  you: 'You',
  yourProfile: 'Your profile',
  manage: 'Manage',
  projects: 'Projects',
  searchThisUsersProjects: "Search this user's projects",
  youHaveNoPersonal: 'You have no personal projects yet.',
  hasNoPersonalProjects: (name: string) => `${name} has no personal projects you can access.`,
}
