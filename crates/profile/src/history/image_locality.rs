//! What differs in ImageLocality from version to version.

use super::row::history;

history! {
    ImageLocality for "ImageLocality";

    flags {
        /// Each container may hold images worth the maximum; before, one maximum was for all.
        image_maximum_per_container
            from "pkg/scheduler/framework/plugins/imagelocality/image_locality.go (1.19)"
            { (19, 0) => true }

        /// Images of init containers count.
        init_images_score
            from "pkg/scheduler/framework/plugins/imagelocality/image_locality.go (1.30)"
            { (30, 0) => true }

        /// All nodes agree how many have an image; before, a node remembered how many had it when
        /// it was added.
        image_spread_live from "pkg/scheduler/internal/cache/cache.go (1.29)" { (29, 0) => true }
    }

    values {
        /// Whether images mounted as volumes count.
        image_volumes: ImageVolumes {
            (36, 0) => ImageVolumes::Score,
                "Images mounted as volumes count in ImageLocality.",
                from "pkg/scheduler/framework/plugins/imagelocality/image_locality.go (1.36)";
            (37, 0) => ImageVolumes::ScoreAndMaximum,
                "Images mounted as volumes raise the amount that makes the best score.",
                from "kubernetes/kubernetes#138951";
        }
    }
}

/// Whether images mounted as volumes count in ImageLocality.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ImageVolumes {
    /// They do not.
    #[default]
    NotCounted,
    /// They count.
    Score,
    /// They count, and raise the amount that makes the best score.
    ScoreAndMaximum,
}
