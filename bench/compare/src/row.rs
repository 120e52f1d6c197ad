//! What the program prints.

use serde::Serialize;

/// One peer at one work.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Row {
    /// Name of the work.
    pub work: String,
    /// Our method.
    pub ours: String,
    /// Our median, milliseconds.
    pub ours_ms: f64,
    /// The peer and how it was used.
    pub peer: String,
    /// Version of the peer's crate.
    pub peer_version: &'static str,
    /// The peer's median, milliseconds.
    pub peer_ms: f64,
    /// Threads that both could use.
    pub threads: usize,
    /// Surface area cost of our tree, where the work is a build.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ours_cost: Option<f64>,
    /// Surface area cost of the peer's tree.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub peer_cost: Option<f64>,
    /// Pairs of the last frame, or hits of all queries.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pairs: Option<usize>,
    /// Our median upkeep a frame (update or build), part of `ours_ms`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ours_update_ms: Option<f64>,
    /// The peer's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub peer_update_ms: Option<f64>,
    /// Grains of ours that are still inside after the last frame.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ours_inside: Option<u64>,
    /// The peer's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub peer_inside: Option<u64>,
}

/// Prints rows as a table.
pub fn print_table(rows: &[Row]) {
    println!(
        "{:<26} {:<12} {:>10}  {:<56} {:>10} {:>7}  cost ours/peer",
        "work", "ours", "ms", "peer", "ms", "ratio"
    );
    for row in rows {
        let cost = match (row.ours_cost, row.peer_cost) {
            (Some(ours), Some(peer)) => format!("{ours:.2}/{peer:.2}"),
            _ => String::new(),
        };
        let peer = format!("{} ({})", row.peer, row.peer_version);
        println!(
            "{:<26} {:<12} {:>10.3}  {peer:<56} {:>10.3} {:>7.2}  {cost}",
            row.work,
            row.ours,
            row.ours_ms,
            row.peer_ms,
            row.peer_ms / row.ours_ms
        );
    }
}
