//! What the process takes of its machine: memory, as far as the system tells.

/// Resident memory of this process in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Memory {
    /// Now.
    pub resident: Option<u64>,
    /// The most there has been.
    pub peak: Option<u64>,
}

impl Memory {
    /// Reads `/proc/self/status`; all `None` on systems without it.
    pub(crate) fn now() -> Self {
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        Self {
            resident: kilobytes(&status, "VmRSS:"),
            peak: kilobytes(&status, "VmHWM:"),
        }
    }
}

/// Memory that can still be had without swapping, in bytes.
pub(crate) fn available_memory() -> Option<u64> {
    let info = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    kilobytes(&info, "MemAvailable:")
}

/// The value of a `Name:   123 kB` line, in bytes.
fn kilobytes(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    let number = line.split_whitespace().next()?;
    number.parse::<u64>().ok()?.checked_mul(1024)
}

/// Number of processors this process may use.
pub(crate) fn processors() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_proc_are_read() {
        let text = "Name:\tjostle\nVmHWM:\t    2048 kB\nVmRSS:\t 1024 kB\n";
        assert_eq!(kilobytes(text, "VmRSS:"), Some(1 << 20));
        assert_eq!(kilobytes(text, "VmHWM:"), Some(2 << 20));
        assert_eq!(kilobytes(text, "VmPeak:"), None);
        assert_eq!(kilobytes("VmRSS: many kB", "VmRSS:"), None);
    }
}
