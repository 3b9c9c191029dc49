package cases

import (
	"math/rand"
	"slices"
	"strings"
)

// Orders are all orders of up to three things; of more, the given one, backwards, and some in between.
func Orders[T any](things []T) [][]T {
	switch len(things) {
	case 0, 1:
		return [][]T{things}
	case 2:
		return [][]T{things, {things[1], things[0]}}
	case 3:
		a, b, c := things[0], things[1], things[2]
		return [][]T{{a, b, c}, {a, c, b}, {b, a, c}, {b, c, a}, {c, a, b}, {c, b, a}}
	}
	backwards := slices.Clone(things)
	slices.Reverse(backwards)
	all := [][]T{things, backwards}
	random := rand.New(rand.NewSource(int64(len(things))))
	for range 6 {
		shuffled := slices.Clone(things)
		random.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
		all = append(all, shuffled)
	}
	return all
}

// Runs of the tie-break of two candidates, each named first in half of them. The one that is named first comes first in
// seven of eight walks of the map that the scheduler puts them into, so a tie that is not seen in so many runs is none.
const pairRuns = 20

// Winners are the candidates that the scheduler may choose: one that it did choose, and each that it chooses at least
// once when it is asked for the better of the two. `choose` is the scheduler's tie-break, which names one.
func Winners[T any](candidates []T, name func(T) string, choose func([]T) string) []string {
	if len(candidates) == 0 {
		return []string{}
	}
	best := choose(candidates)
	chosen := candidates[slices.IndexFunc(candidates, func(c T) bool { return name(c) == best })]
	winners := []string{best}
	for _, other := range candidates {
		if name(other) == best {
			continue
		}
		pair := []T{other, chosen}
		for range pairRuns {
			slices.Reverse(pair)
			if choose(pair) == name(other) {
				winners = append(winners, name(other))
				break
			}
		}
	}
	return Sorted(winners)
}

// Reasons are a refusal's reasons; the part that the check of resources lists in the order of a map is sorted.
func Reasons(list []string, resources bool) []string {
	list = append([]string{}, list...)
	fixedOrder := []string{"Too many pods", "Insufficient pods", "Insufficient cpu", "Insufficient memory", "Insufficient ephemeral-storage"}
	tail := slices.IndexFunc(list, func(reason string) bool {
		return strings.HasPrefix(reason, "Insufficient ") && !slices.Contains(fixedOrder, reason)
	})
	if tail >= 0 && resources {
		end := tail
		for end < len(list) && strings.HasPrefix(list[end], "Insufficient ") {
			end++
		}
		slices.Sort(list[tail:end])
	}
	return list
}

// Sorted sorts in place and gives back its argument.
func Sorted(list []string) []string {
	slices.Sort(list)
	return list
}
