/** Texts of the UI. */
export const texts = {
  gitlab: 'GitLab',
  github: 'GitHub',
  giteaOrForgejo: 'Gitea or Forgejo',
  jira: 'Jira',
  on: (project: string, canParse: string) => `${project} on ${canParse}`,
}
