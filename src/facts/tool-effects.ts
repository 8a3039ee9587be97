/** Shipped tools (dsh-tool-*) whose effect follows from their name alone; what is not listed may do anything. */
const READ_ONLY: ReadonlySet<string> = new Set([
  'read', 'read_image', 'grep', 'glob', 'web_search', 'get_goal', 'job_list', 'job_output', 'list_agents', 'skill',
])
const CHANGES_FILES: ReadonlySet<string> = new Set(['write', 'edit', 'str_replace_editor'])

export function readsOnly(tool: string): boolean {
  return READ_ONLY.has(tool)
}

export function changesFiles(tool: string): boolean {
  return CHANGES_FILES.has(tool)
}
