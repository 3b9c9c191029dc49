use super::*;

fn curve(points: &[(i64, i64)]) -> Vec<ShapePoint> {
    points.iter().map(|(utilization, score)| ShapePoint { utilization: *utilization, score: *score }).collect()
}

#[test]
fn a_curve_is_straight_between_its_points_and_level_outside() {
    let rising = curve(&[(10, 20), (50, 40), (70, 100)]);
    for (utilization, score) in [(0, 20), (10, 20), (11, 20), (30, 30), (50, 40), (60, 70), (70, 100), (100, 100)] {
        assert_eq!(on_curve(&rising, utilization), score, "at {utilization}");
    }
    let falling = curve(&[(0, 100), (100, 0)]);
    assert_eq!(on_curve(&falling, 33), 67);
    assert_eq!(on_curve(&[], 50), 0);
}

#[test]
fn more_than_all_is_all() {
    for (part, whole, expected) in [(1, 3, 33), (3, 3, 100), (4, 3, 100), (0, 3, 0), (1, 0, 100)] {
        assert_eq!(percent(part, whole), expected, "{part} of {whole}");
    }
}
