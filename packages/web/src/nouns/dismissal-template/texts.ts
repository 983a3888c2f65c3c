/** Texts of the UI. */
export const texts = {
  template: 'Template',
  noTemplate: 'No template',
  ofGroup: (name: string) => `${name} (group)`,
  ofInstance: (name: string) => `${name} (instance)`,
}
