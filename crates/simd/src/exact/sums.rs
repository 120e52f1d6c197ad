//! Signs of sums of doubles, exactly.

/// The sum of two doubles and its rounding error: together they are the sum (Knuth, The Art of
/// Computer Programming 2, 4.2.2). Right unless the sum overflows.
#[inline]
fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let b_part = sum - a;
    let a_part = sum - b_part;
    (sum, (a - a_part) + (b - b_part))
}

/// The sign of the exact sum of finite terms below 2¹⁰⁰⁰: -1, 0 or 1.
///
/// The terms are added one by one to an expansion, a list of doubles of ascending magnitude that do not
/// overlap (Shewchuk, Adaptive Precision Floating-Point Arithmetic, 1997, theorem 10): its largest
/// component that is not zero has the sign of the whole. O(N²) additions.
pub(crate) fn sign_of_sum<const N: usize>(terms: &[f64; N]) -> i32 {
    let mut parts = [0.0; N];
    for (count, term) in terms.iter().enumerate() {
        let mut carry = *term;
        for part in &mut parts[..count] {
            (carry, *part) = two_sum(carry, *part);
        }
        parts[count] = carry;
    }
    for part in parts.iter().rev() {
        if *part != 0.0 {
            return if *part > 0.0 { 1 } else { -1 };
        }
    }
    0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cancelling_sums_keep_their_sign() {
        assert_eq!(sign_of_sum(&[1e200, 1.0, -1e200, -1.0]), 0);
        assert_eq!(sign_of_sum(&[1e200, -1e-200, -1e200, 5e-324]), -1);
        assert_eq!(sign_of_sum(&[5e-324, 1e200, 1.0, -1e200, -1.0]), 1);
        assert_eq!(
            sign_of_sum(&[1.0, 1.0 / (1_u64 << 60) as f64, -1.0, 0.0]),
            1
        );
        assert_eq!(
            sign_of_sum(&[0.1, 0.2, -0.3]),
            1,
            "the doubles, not the decimals"
        );
        assert_eq!(sign_of_sum(&[-0.0, 0.0]), 0);
    }
}
