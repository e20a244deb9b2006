import { execFileSync } from "node:child_process"

/** Mounts a disk of this many megabytes on a folder, where the machine allows it. */
export const smallDisk = (folder: string, megabytes: number): boolean => {
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${megabytes}m,mode=755`, "longwave-test", folder], {
      stdio: "ignore"
    })
    return true
  } catch {
    return false
  }
}
export const turnDisk = (folder: string, access: "ro" | "rw"): void =>
  void execFileSync("mount", ["-o", `remount,${access}`, folder], { stdio: "ignore" })
export const removeDisk = (folder: string): void => void execFileSync("umount", ["-l", folder])
