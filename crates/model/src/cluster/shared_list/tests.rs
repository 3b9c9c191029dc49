use super::SharedList;

fn list(items: &[i32]) -> SharedList<i32> {
    let mut list = SharedList::default();
    list.own().extend_from_slice(items);
    list
}

fn all(list: &SharedList<i32>) -> Vec<i32> {
    let by_iter: Vec<i32> = list.iter().copied().collect();
    let by_get: Vec<i32> = (0..list.len()).filter_map(|i| list.get(i).copied()).collect();
    let by_index: Vec<i32> = (0..list.len()).map(|i| list[i]).collect();
    assert_eq!((&by_iter, &by_iter), (&by_get, &by_index));
    by_iter
}

#[test]
fn clone_changes_without_affecting_the_original() {
    let first = list(&[1, 2, 3]);
    let mut second = first.clone();
    *second.get_mut(1).expect("an item") = 20;
    *second.get_mut(2).expect("an item") = 30;
    *second.get_mut(1).expect("an item") += 1;
    assert_eq!(second.get_mut(3), None);
    let mut third = second.clone();
    *third.get_mut(0).expect("an item") = 10;
    assert_eq!(
        [all(&first), all(&second), all(&third)],
        [vec![1, 2, 3], vec![1, 21, 30], vec![10, 21, 30]]
    );
    drop((first, third));
    *second.get_mut(1).expect("an item") = 5;
    assert_eq!(all(&second), [1, 5, 30], "a change stays in force when nothing is shared any more");
    second.own().push(4);
    assert_eq!(all(&second), [1, 5, 30, 4]);
}

#[test]
fn unshared_list_is_changed_in_place() {
    let mut list = list(&[1, 2]);
    *list.get_mut(0).expect("an item") = 7;
    assert!(list.changed.is_empty());
    assert_eq!(all(&list), [7, 2]);
    assert_eq!([2, 9].map(|n| list.search(|item| item.cmp(&n))), [Some(1), None]);
}

#[test]
fn item_that_a_clone_adds_is_behind_the_others_until_the_list_is_its_own() {
    let first = list(&[1, 3]);
    let mut second = first.clone();
    second.push(2);
    *second.get_mut(2).expect("an item") += 10;
    *second.get_mut(1).expect("an item") = 4;
    assert_eq!([all(&first), all(&second)], [vec![1, 3], vec![1, 4, 12]]);
    assert_eq!([1, 12, 2].map(|n| second.search(|item| item.cmp(&n))), [Some(0), Some(2), None]);
    assert!(second.get(3).is_none() && second.get_mut(3).is_none());
    second.own().push(5);
    assert_eq!(all(&second), [1, 4, 12, 5]);
}
